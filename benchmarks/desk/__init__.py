"""The real workstation in a pseudo-terminal, under a load of quotes, with the paper venue for everything else."""
