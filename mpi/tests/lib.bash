# lib.bash - what the scripts of mpi/tests share: the tests' words, and jobs of several ranks.
source "$CREDENCE_SOURCE/tests/cli/lib.bash"
mpi=$CREDENCE_BUILD/credence-mpi
[ -x "$mpi" ] && type -P mpirun >/dev/null || { echo "skipped: Open MPI is not here"; exit 77; }

# Root runs jobs in tests, ranks share cores, and messages stay in memory.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1

ranks() { # N VERB ARGUMENT...
    local n=$1
    shift
    timeout -k 5 120 mpirun -n "$n" "$mpi" "$@" </dev/null
}

# What is printed without times.
timeless() {
    sed -E 's/ in [0-9.]+ (ns|µs|ms|s)\b/ in …/; s/ +[0-9.]+ (ns|µs|ms|s)$/ …/' "$1"
}

# A verb prints on N ranks what it prints alone.
same_output() { # N VERB ARGUMENT...
    local n=$1
    shift
    credence "$@" >plain.out 2>plain.err
    ranks "$n" "$@" >job.out 2>job.err
    same "output of $n ranks: $*" "$(timeless job.out)" "$(timeless plain.out)"
}
