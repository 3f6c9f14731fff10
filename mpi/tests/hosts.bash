# hosts.bash - network namespaces as hosts, joined by a switch, for mpirun.
#
# A script that sources this file runs in namespaces of its own, from which nothing is left when it
# ends; without the right to make them it is skipped. Then
#
#     make_hosts N [RATE [DELAY]]     N hosts, 10.77.0.1 and so on, with links of that rate (100mbit)
#                                     and delay (1ms), as far as the kernel can
#     over_hosts N COMMAND...         one rank on each of the first N hosts

if [ "${CREDENCE_HOSTS:-}" != inside ]; then
    for tool in ip tc unshare mount; do
        type -P $tool >/dev/null || { echo "skipped: $tool is not here"; exit 77; }
    done
    own=(unshare --net --mount)
    [ "$(id -u)" = 0 ] || own+=(--user --map-root-user)
    "${own[@]}" sh -c 'mkdir -p /run/netns && mount -t tmpfs none /run/netns && ip netns add a &&
        ip link add v type veth peer name w && ip link add s type bridge' 2>/dev/null ||
        { echo "skipped: network namespaces cannot be made here"; exit 77; }
    CREDENCE_HOSTS=inside exec "${own[@]}" bash "$0" "$@"
fi
mkdir -p /run/netns
mount -t tmpfs none /run/netns
agent=/run/netns/agent

# What mpirun takes for ssh: HOST COMMAND...
cat >"$agent" <<'EOF'
#!/usr/bin/env bash
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "host-$host" unshare --uts sh -c "hostname ${host//./-}; $*"
EOF
chmod +x "$agent"

# Slow a link down: all of it, its rate only, or not at all. Says which.
slow_link() { # HOST RATE DELAY
    ip netns exec "$1" tc qdisc add dev net root netem rate "$2" delay "$3" 2>/dev/null &&
        { echo "$2, $3"; return; }
    ip netns exec "$1" tc qdisc add dev net root tbf rate "$2" burst 256kb latency 100ms 2>/dev/null &&
        { echo "$2, no delay"; return; }
    echo "links as they are"
}

make_hosts() { # N [RATE [DELAY]]
    ip link add switch type bridge
    ip link set switch up
    for k in $(seq "$1"); do
        ip netns add "host-10.77.0.$k"
        ip link add "port$k" type veth peer name net netns "host-10.77.0.$k"
        ip link set "port$k" master switch up
        ip -n "host-10.77.0.$k" addr add "10.77.0.$k/24" dev net
        ip -n "host-10.77.0.$k" link set net up
        ip -n "host-10.77.0.$k" link set lo up
        [ -z "${2:-}" ] || links=$(slow_link "host-10.77.0.$k" "$2" "${3:-1ms}")
    done
}

over_hosts() { # N COMMAND...
    local n=$1
    shift
    timeout -k 5 120 ip netns exec host-10.77.0.1 unshare --uts \
        sh -c 'hostname 10-77-0-1; exec "$@"' sh mpirun -n "$n" \
        --host "$(seq -s, -f '10.77.0.%g:1' "$n")" \
        --mca plm_rsh_agent "$agent" --mca btl self,tcp --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca mpi_yield_when_idle 1 --mca hwloc_base_binding_policy none \
        "$@" </dev/null
}
