# --fmu: a model of FMI 2 and of FMI 3 is fitted; what it lacks, and runs that fail, are told. With REFERENCE_FMUS=DIR
# (DIR/2/BouncingBall.fmu, DIR/3/VanDerPol.fmu, ...: the reference FMUs of the Modelica Association, built) these too.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
"$ZOPROX" solve --fmu nothing 2>&1 | grep -q 'cannot be read' || { echo "WRONG: no --fmu"; exit 1; }
case $(uname -m) in x86_64) two=linux64 three=x86_64-linux ;; aarch64) two= three=aarch64-linux ;; *) two= three= ;; esac
[ -n "$three" ] || { echo "skipped: FMI has no name for this processor"; exit 77; }
mkdir "$work/a folder" && cd "$work/a folder" || exit 1 # as people have them

# describe VERSION: its modelDescription.xml
describe() {
    local real2='<Real/></ScalarVariable>' real3='</Float64>' element=ScalarVariable close
    close=$real2
    [ "$1" = 2 ] || { element=Float64; close=$real3; }
    [ "$1" = 2 ] && echo '<fmiModelDescription fmiVersion="2.0" modelName="oscillator" guid="one of these">' ||
        echo '<fmiModelDescription fmiVersion="3.0" modelName="oscillator" instantiationToken="one of these">'
    echo "<CoSimulation modelIdentifier=\"oscillator\" canHandleVariableCommunicationStepSize=\"${any:-true}\"/>"
    echo '<DefaultExperiment startTime="0" stopTime="4" stepSize="0.1"/><ModelVariables>'
    echo "<$element name=\"time\" valueReference=\"0\" causality=\"independent\" variability=\"continuous\">$close"
    echo "<$element name=\"x\" valueReference=\"1\" causality=\"output\" initial=\"calculated\">$close"
    echo "<$element name=\"der(x)\" valueReference=\"2\" causality=\"local\" initial=\"calculated\">$close"
    echo "<$element name=\"k\" valueReference=\"3\" causality=\"parameter\" variability=\"fixed\">$close"
    echo "<$element name=\"damper[1].c\" valueReference=\"4\" causality=\"parameter\" variability=\"tunable\" initial=\"exact\">$close"
    echo "<$element name=\"from\" valueReference=\"5\" causality=\"local\" initial=\"exact\">$close"
    echo "<$element name=\"force\" valueReference=\"6\" causality=\"input\">$close"
    [ "$1" = 2 ] && echo '<ScalarVariable name="turns" valueReference="7" causality="parameter"><Integer start="1"/></ScalarVariable>' ||
        echo '<Int32 name="turns" valueReference="7" causality="parameter" start="1"/>
        <Float64 name="list" valueReference="8" causality="parameter"><Dimension start="3"/></Float64>'
    echo '</ModelVariables></fmiModelDescription>'
}
# pack VERSION PLATFORM FILE
pack() {
    mkdir -p "$3.d/binaries/$2" "$3.d/resources"
    describe "$1" >"$3.d/modelDescription.xml"
    echo a mass on a spring >"$3.d/resources/about.txt"
    cc -shared -fPIC -DFMI="$1" "$SOURCE/tests/support/oscillator.c" -o "$3.d/binaries/$2/oscillator.so" -lm || exit 1
    (cd "$3.d" && cmake -E tar cf "../$3" --format=zip modelDescription.xml binaries resources) || exit 1
}
if "$ZOPROX" solve --fmu "$0" 2>&1 | grep -q 'has no libarchive'; then echo "skipped: built without libarchive"; exit 77; fi
pack 3 "$three" three.fmu
if "$ZOPROX" solve --fmu three.fmu 2>&1 | grep -q 'has no expat'; then echo "skipped: built without expat"; exit 77; fi
cat >p.toml <<'END'
[k]
start = 2
range = [0.1, 100]
unit = "N/m"
log = true
["damper[1].c"]
start = 0.3
low = 0
[from]
fixed = 1.5
[force]
start = 0
END

# x(t) of k = 4, c = 0.5, from 1.5, force 0.8: in closed form
awk 'BEGIN {k = 4; c = .5; w = sqrt(k - c * c / 4); a = 1.5 - .8 / k
    for (t = .25; t < 4.1; t += .25) printf "%.12f\n", .8 / k + exp(-c / 2 * t) * a * (cos(w * t) + c / (2 * w) * sin(w * t))}' >measured.txt
fit() { # FILE MORE...: JSON on standard output
    local file=$1
    shift
    "$ZOPROX" solve --fmu "$file" --parameters p.toml --read 'x@0.25:0.25:4' --residuals squares --targets measured.txt --json --quiet "$@"
}
closely() { # FILE: k, c and force are what they were
    python3 - "$1" <<'PY'
import json, sys
x = {p["name"]: p["value"] for p in json.load(open(sys.argv[1]))["parameters"]}
got = [x[name] for name in ("k", "damper[1].c", "from", "force")]
assert all(abs(a - b) < 1e-6 for a, b in zip(got, (4, .5, 1.5, .8))), got
PY
}
fit three.fmu >three.json || wrong "a fit by FMI 3"
closely three.json || wrong "what a fit by FMI 3 has found"
[ ! -e zoprox-runs ] || wrong "left behind: $(find zoprox-runs)"
if [ -n "$two" ]; then
    pack 2 "$two" two.fmu
    fit two.fmu >two.json || wrong "a fit by FMI 2"
    closely two.json || wrong "what a fit by FMI 2 has found"
    fit two.fmu --workers 1 --abreast 2 >two.json && fit two.fmu --workers 3 --abreast 2 >again.json || wrong "three workers"
    python3 -c 'import json, sys; a, b = (json.load(open(f)) for f in sys.argv[1:]); assert a["objective"] == b["objective"]' two.json again.json || wrong "three workers find something else"
fi

# one value, at the end; times out of a file; the step
value() { "$ZOPROX" eval --fmu three.fmu --parameters p.toml --quiet --json "$@" | python3 -c 'import json, sys; print("%.6f" % json.load(sys.stdin)["objective"])'; }
[ "$(value --read x)" = "$(value --read x@4)" ] || wrong "a value at the end of the default experiment"
printf '1\n3.3\n' >times.txt
"$ZOPROX" eval --fmu three.fmu --parameters p.toml --read x@times.txt --read 'der(x)@2' --quiet >/dev/null || wrong "times out of a file"
[ "$(value --read x@1 --fmu-step 0.3)" = "$(value --read x@1)" ] || wrong "a step that does not meet the time"

# a point that was saved is one to begin at, whatever its names are
fit three.fmu --save best.toml >/dev/null || wrong "--save"
grep -qE '^"damper\[1\]\.c" = 0[.](5|4999999)' best.toml || wrong "saved: $(cat best.toml)"
[ "$(value --read x@1 --start best.toml)" != "$(value --read x@1)" ] || wrong "--start with such names"

# a checkpoint goes on with the same FMU only, wherever values come from
fit three.fmu --points 6 --checkpoint run.zo >/dev/null || wrong "a checkpoint"
fit three.fmu --resume --checkpoint run.zo >resumed.json || wrong "a resumed fit"
closely resumed.json || wrong "what a resumed fit has found"
sed -i 's/start = 0.3/start = 0.4/' p.toml
says 2 "another problem" solve --fmu three.fmu --parameters p.toml --read 'x@0.25:0.25:4' --residuals squares --targets measured.txt --resume --checkpoint run.zo

# what is not there is told by name
says 2 "its parameters are k, damper[1].c" solve --fmu three.fmu --read x
says 2 "--read NAME@TIME is needed" solve --fmu three.fmu --parameters p.toml
says 2 "no variable 'y'" solve --fmu three.fmu --parameters p.toml --read y
says 2 "'turns' of the FMU is no single real number" solve --fmu three.fmu --parameters p.toml --read turns
says 2 "'list' of the FMU is no single real number" solve --fmu three.fmu --parameters p.toml --read list
says 2 "'soon' is no time" solve --fmu three.fmu --parameters p.toml --read x@soon
says 2 "before the start" solve --fmu three.fmu --parameters p.toml --read x@-1
says 2 "but --read takes 2 values" solve --fmu three.fmu --parameters p.toml --read x@1 --read x@2 --n 3
says 2 "two black boxes" solve --fmu three.fmu --command cat --parameters p.toml --read x --n 1
says 2 "--fmu-step has no use" solve --command cat --n 1 --dim 1 --fmu-step 1
echo 'x = 1' >other.toml
says 2 "calculated or constant" solve --fmu three.fmu --parameters other.toml --read x
echo 'z = 1' >other.toml
says 2 "has no variable 'z'" solve --fmu three.fmu --parameters other.toml --read x
echo precious >plain.fmu
says 2 "is no FMU" solve --fmu plain.fmu --parameters p.toml --read x
pack 3 elsewhere far.fmu
says 2 "no program for this machine" solve --fmu far.fmu --parameters p.toml --read x
any=false pack 3 "$three" even.fmu
says 2 "no whole number of steps" solve --fmu even.fmu --parameters p.toml --read x@0.25
"$ZOPROX" eval --fmu even.fmu --parameters p.toml --read x@0.3 --quiet >/dev/null || wrong "times that are whole numbers of steps"
mkdir evil && echo x >evil/inside && (cd evil && python3 -c 'import zipfile; zipfile.ZipFile("../evil.fmu", "w").writestr("../outside", "x")')
says 2 "would lie elsewhere" solve --fmu evil.fmu --parameters p.toml --read x
[ ! -e outside ] && [ ! -e zoprox-runs/outside ] || wrong "an FMU wrote outside its folder"
printf '<!DOCTYPE a [<!ENTITY b "c">]><fmiModelDescription fmiVersion="3.0">&b;</fmiModelDescription>' >evil/modelDescription.xml
(cd evil && cmake -E tar cf ../typed.fmu --format=zip modelDescription.xml)
says 2 "modelDescription.xml, line 1" solve --fmu typed.fmu --parameters p.toml --read x
[ ! -e zoprox-runs ] || wrong "left behind by what was refused: $(find zoprox-runs)"

# an FMU that fails, or ends its process, is a failed point: the run goes on without it
cat >q.toml <<'END'
[k]
start = 1
range = [-2, 3000]
END
echo 'k = -1' >k.txt
says 1 "a spring that pushes" eval --fmu three.fmu --parameters q.toml --read x --start k.txt
"$ZOPROX" solve --fmu three.fmu --parameters q.toml --read x@1.5 --residuals squares --points 30 --quiet --json >kept.json || wrong "a run beside places where the FMU fails"

for file in "${REFERENCE_FMUS:-}"/[23]/BouncingBall.fmu; do # e of 0.8 again, out of what e of 0.8 shows
    [ -e "$file" ] || continue
    printf '[e]\nstart = 0.7\nrange = [0.5, 1]\n[g]\nfixed = -9.81\n' >ball.toml
    echo 'e = 0.8' >e.txt && echo 'g = -9.81' >>e.txt
    "$ZOPROX" eval --fmu "$file" --parameters ball.toml --read 'h@0.1:0.1:1.1' --start e.txt --json --quiet >there.json || wrong "$file"
    python3 -c 'import json; print(*json.load(open("there.json"))["values"], sep="\n")' >heights.txt
    "$ZOPROX" solve --fmu "$file" --parameters ball.toml --read 'h@0.1:0.1:1.1' --residuals squares --targets heights.txt --json --quiet >ball.json || wrong "$file"
    python3 -c 'import json; e = json.load(open("ball.json"))["parameters"][0]["value"]; print("e =", e); assert abs(e - .8) < 1e-5, e' || wrong "$file: another e"
done
verdict
