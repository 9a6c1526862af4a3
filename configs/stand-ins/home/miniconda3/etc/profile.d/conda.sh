# What `conda activate NAME` leaves behind, and nothing else.
conda() {
    [ "$1" = activate ] && [ -n "$2" ] || { echo "usage: conda activate NAME" >&2; return 2; }
    export CONDA_DEFAULT_ENV=$2
}
