# Files that are not ours are neither deleted, nor written, nor followed; nothing of ours is left behind.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
run="solve $small --method pgd --units 5 --quiet"

# what lies beside a checkpoint is somebody's
echo precious >run.lock
echo precious >run.part
echo precious >elsewhere
ln -s elsewhere run.tmp
"$ZOPROX" $run --checkpoint run --save x >/dev/null || wrong "a run beside other files"
for file in run.lock run.part run.tmp; do [ "$(cat $file)" = precious ] || wrong "$file was touched"; done
[ -z "$(find . -name '.*zoprox*')" ] || wrong "left behind: $(find . -name '.*zoprox*')"

# outputs with such names are written, or refused
rm -f run run.lock run.part
"$ZOPROX" $run --checkpoint run --save run.lock --trace run.part >/dev/null || wrong "outputs beside a checkpoint"
[ "$(wc -l <run.lock)" = 6 ] || wrong "--save run.lock was lost"
[ "$(wc -l <run.part)" -gt 2 ] || wrong "--trace run.part was lost"
rm -f run
says 2 "is a name that the checkpoint 'run' needs" $run --checkpoint run --save .run.zoprox-lock
says 2 "is a name that the checkpoint './run' needs" $run --checkpoint ./run --trace "$PWD/.run.zoprox-0"

# a lock that is not one of ours is no reason to destroy it; a link is not followed
echo precious >.run.zoprox-lock
says 2 "'.run.zoprox-lock' is in the way" $run --checkpoint run
[ "$(cat .run.zoprox-lock)" = precious ] || wrong "a file in a lock's place was touched"
rm .run.zoprox-lock
ln -s elsewhere .run.zoprox-0
"$ZOPROX" $run --checkpoint run >/dev/null || wrong "a link in a draft's place"
[ "$(cat elsewhere)" = precious ] || wrong "a link was followed"
[ -L .run.zoprox-0 ] || wrong "a link was removed"
rm .run.zoprox-0

# what a kill has left is taken over
rm -f run
: >.x.zoprox-0
"$ZOPROX" $run --save x >/dev/null || wrong "a draft that was left"
[ ! -e .x.zoprox-0 ] || wrong "a draft that was left is still there"

verdict
