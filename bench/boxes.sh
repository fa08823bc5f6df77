# Programs as black boxes: rate over pipes, how busy workers are, uneven questions, 1000 faults (about four minutes).
# SPDX-License-Identifier: MIT
set -euo pipefail
"$BUILD/bench/boxes"
