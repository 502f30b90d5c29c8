"""Pictures of networks: what units compute, how strong their connections are, how they learn."""
