"""SubGNN (Alsentzer et al. 2020): message passing from anchors to the components of subgraphs."""
