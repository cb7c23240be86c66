#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo: one picture with the full report, then all of them, then the accuracy next to that of the float network.
# usage: run.sh PATH_TO_VERNIER [--quick]      --quick takes 20 pictures, not 100
# Exit code 0 when every run ends with 0 (`vernier run` compares each output element with the reference by itself),
# every output also equals expected.npy, and the accuracy is at least 95 % and within 2 points of float.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# -eq 2 ] && [ "$2" != --quick ]; }; then
    echo "usage: run.sh PATH_TO_VERNIER [--quick]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
num_pictures=100
[ $# -eq 1 ] || num_pictures=20
VERNIER=$1
NETWORK=$here/demo.tosa
WORK=$(mktemp -d)
export VERNIER NETWORK WORK
trap 'rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM

python3 "$here/accuracy.py" split "$WORK" "$num_pictures"
"$VERNIER" run "$NETWORK" --input "$WORK/000.npy" --output-dir "$WORK/first"

echo
echo "Running $num_pictures pictures of handwritten digits that the network has not seen ..."
# Each run is a process of its own with an output folder of its own: as many at a time as there are cores.
if ! (cd "$WORK" && ls -- *.npy) | xargs -P "$(nproc)" -I FILE sh -c '
    picture=${1%.npy}
    "$VERNIER" run "$NETWORK" -q --input "$WORK/$1" --output-dir "$WORK/$picture" >"$WORK/$picture.log" 2>&1 ||
        { code=$?; cat "$WORK/$picture.log" >&2; echo "run.sh: picture $picture: exit code $code" >&2; exit 255; }
' sh FILE; then
    exit 1
fi
python3 "$here/accuracy.py" score "$WORK" "$num_pictures"
