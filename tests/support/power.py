# Plays power losses: power.py LOG BEFORE AFTER CASES SEED COMMAND... SPDX-License-Identifier: MIT
#
# LOG is what power.c has recorded, BEFORE a copy of the folder as it was (all of it on the disk), and BEFORE.map the inodes
# that its files had. A case is a moment of the record:
# what was synced is there; of what was not, any part may be, in any order, the last of it torn within itself. The folder that
# is left is AFTER, what was synced alone AFTER.sure, and COMMAND must succeed in AFTER.
import itertools
import os
import random
import shutil
import subprocess
import sys

log_path, before, after, cases, seed = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
command = sys.argv[6:]
SECTOR = 512


def records(path):
    with open(path, "rb") as log:
        while line := log.readline():
            kind, *rest = line.decode().split()
            if kind == "W":
                inode, at, count = map(int, rest)
                yield kind, inode, at, log.read(count)
            else:
                yield (kind, *rest)


def own_numbers(every):
    """Inodes are used again as soon as they are free: each new file gets a number of its own instead."""
    number, fresh = {}, itertools.count(-1, -1)
    for kind, *rest in every:
        if kind in "DU":
            yield kind, *rest
            continue
        inode = int(rest[0])
        if kind in "NC":
            number[inode] = next(fresh)
        if kind != "N":
            yield kind, number.get(inode, inode), *rest[1:]


class Disk:
    """What is surely there, and what may be."""

    def __init__(self, folder):
        self.names, self.data = {}, {}
        with open(folder + ".map") as inodes:
            for line in inodes:
                inode, name = line.split()
                self.names[name] = int(inode)
                with open(os.path.join(folder, name), "rb") as f:
                    self.data[int(inode)] = bytearray(f.read())
        self.pending, self.entries = {}, []

    def take(self, record):
        kind, *rest = record
        if kind == "W":
            self.pending.setdefault(rest[0], []).append(("W", rest[1], rest[2]))
        elif kind == "T":
            self.pending.setdefault(int(rest[0]), []).append(("T", int(rest[1])))
        elif kind == "S":
            inode = int(rest[0])
            for change in self.pending.pop(inode, []):
                self.change(self.data, inode, change)
            self.data.setdefault(inode, bytearray())
        elif kind == "D":
            for entry in self.entries:
                self.enter(self.names, entry)
            self.entries = []
        else:
            self.entries.append(record)

    @staticmethod
    def change(data, inode, change):
        content = data.setdefault(inode, bytearray())
        if change[0] == "T":
            size = change[1]
            del content[size:]
            content.extend(bytes(size - len(content)))
        else:
            _, at, piece = change
            content.extend(bytes(max(at + len(piece) - len(content), 0)))
            content[at:at + len(piece)] = piece

    @staticmethod
    def enter(names, entry):
        kind, *rest = entry
        if kind in "CL":
            names[rest[1]] = int(rest[0])
        elif kind == "R":
            names.pop(rest[1], None)
            names[rest[2]] = int(rest[0])
        else:
            names.pop(rest[0], None)

    def torn(self, change, chance):
        if change[0] == "T" or len(change[2]) < 2:
            return [change]
        _, at, piece = change
        if chance.random() < 0.5:
            return [("W", at, piece[:chance.randrange(len(piece))])]
        return [("W", at + k, piece[k:k + SECTOR]) for k in range(0, len(piece), SECTOR) if chance.random() < 0.5]

    def lost(self, chance):
        """A folder after the power went: names, data."""
        names, data = dict(self.names), {inode: bytearray(content) for inode, content in self.data.items()}
        share = chance.choice((0, 0.5, 0.9, 1))
        for inode, changes in self.pending.items():
            for k, change in enumerate(changes):
                if chance.random() >= share:
                    continue
                tear = chance.random() < (0.5 if k == len(changes) - 1 else 0.1)
                for piece in self.torn(change, chance) if tear else [change]:
                    self.change(data, inode, piece)
        share = chance.choice((0, 0.5, 1))
        for entry in self.entries:
            if chance.random() < share:
                self.enter(names, entry)
        return {name: data.get(inode, bytearray()) for name, inode in names.items()}


def lay_out(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)


def main():
    every = list(own_numbers(records(log_path)))
    chance, failed = random.Random(seed), 0
    moments = sorted(chance.randrange(len(every) + 1) for _ in range(cases))
    disk, at = Disk(before), 0
    for case, moment in enumerate(moments):
        while at < moment:
            disk.take(every[at])
            at += 1
        lay_out(after, disk.lost(chance))
        lay_out(after + ".sure", {name: disk.data.get(inode, b"") for name, inode in disk.names.items()})
        done = subprocess.run(command, cwd=after, capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(f"case {case}, after {moment} of {len(every)}: code {done.returncode}: {done.stdout}{done.stderr}"[:600])
            if failed == 5:
                break
    print(f"{len(moments)} cases of {len(every)} records, {failed} failed")
    return failed > 0


sys.exit(main())
