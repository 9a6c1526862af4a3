# What the stand-ins share. They need bash and its companions only: sleep, awk, mkdir.

# step [N]: waits as long as N steps take.
step() { sleep "$(awk -v pace="${STAND_IN_PACE:-0.2}" -v n="${1:-1}" 'BEGIN { print pace * n }')"; }

# hold SIZE: with the driver that the tests play, this process holds so much on each of its GPUs.
hold() {
    local held="${SWEEPDECK_NVML%/*}/held"
    if [ -n "$SWEEPDECK_NVML" ] && [ -d "$held" ]; then echo "$1" >"$held/$BASHPID"; fi
}

# gate: waits for the file that lets this shard go on, where a test wants to look at it meanwhile.
gate() {
    [ -z "$STAND_IN_GATE" ] || until [ -e "$STAND_IN_GATE/$SWEEPDECK_SHARD" ]; do sleep 0.05; done
}

# option NAME ARGUMENTS…: prints the value of --NAME VALUE, --NAME=VALUE or NAME=VALUE; the last one counts.
option() {
    local name=$1 value=
    shift
    while [ $# -gt 0 ]; do
        case $1 in
            "--$name="* | "$name="*) value=${1#*=} ;;
            "--$name") value=$2 ;;
        esac
        shift
    done
    printf '%s\n' "$value"
}

# draw SEED: a number from 0 to 999 that looks drawn and is the same for the same seed.
draw() { echo $(((($1 * 7919 + 104729) % 10007 * 31 + 7) % 1000)); }
