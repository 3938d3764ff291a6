"""How the MPI libraries start processes."""

LAUNCHERS = {
    "MPICH": ["mpirun.mpich"],
    "Open MPI": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism",
                 "none", "--mca", "plm_rsh_agent", "true"],
}
