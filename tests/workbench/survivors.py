"""Redesigned pages whose records the shipped reader does not return; kept by hand."""

REFUSED_THOUGH_READABLE: dict[str, str] = {
    "site_a_row-dmf_registry": "label_differs",
    "list_split-mfds_notice": "ambiguous_table",
}
"""Page → why; refusing is right where a person would have to guess, too."""
