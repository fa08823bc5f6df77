# Ranks: speed and memory on covtype, and the cost model of docs/scale.md beside what is measured (bench/mpi.py).
# SPDX-License-Identifier: MIT
set -euo pipefail
[ -x "$BUILD/bench/mpi" ] && command -v mpirun >/dev/null || { echo "mpi: MPI is not here"; exit 0; }
packed=${ZOPROX_DATA:-}/covtype.libsvm.binary.scale.xz
[ -e "$packed" ] || { echo "mpi: ZOPROX_DATA does not say where covtype is"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
xz -dc "$packed" >"$dir/covtype"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
for ranks in 1 2 4; do
    timeout 300 mpirun -np $ranks "$BUILD/bench/mpi" "$dir/covtype" "${ROUNDS:-20}" >"$dir/$ranks.json"
done
python3 "$SOURCE/bench/mpi.py" "$dir/1.json" "$dir/2.json" "$dir/4.json"
