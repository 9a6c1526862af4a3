#!/usr/bin/env bash
# ./isaaclab.sh -p PATH/NAME.py ARGUMENTS…: Isaac Lab's launcher, which starts its Python.
[ "$1" = -p ] || { echo "usage: isaaclab.sh -p SCRIPT ARGUMENTS…" >&2; exit 2; }
# Isaac Sim does not start before its licence is accepted.
[ "$OMNI_KIT_ACCEPT_EULA" = YES ] || { echo "Do you accept the governing terms? (Yes/No)"; read -r _; }
# The Conda Ghost: without the environment there is no Python of Isaac Lab.
[ "$CONDA_DEFAULT_ENV" = env_isaaclab ] || { echo "[ERROR] Unable to find any Python executable" >&2; exit 1; }
shift
echo "[INFO] Using python from: $HOME/miniconda3/envs/env_isaaclab/bin/python"
exec python "$@"
