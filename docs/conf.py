"""How Sphinx builds these pages; see CONTRIBUTING.md for the command."""

project = "Crosshook"
author = "The Crosshook developers"
copyright = author  # noqa: A001 (Sphinx asks for this name)
extensions = ["myst_parser"]
exclude_patterns = ["requirements.txt"]
html_theme = "alabaster"
html_theme_options = {"description": "One hooks engine for every coding agent", "page_width": "1100px"}
html_copy_source = False
myst_heading_anchors = 3
# A page that another page links, but no table of contents names, is no fault.
suppress_warnings = ["toc.not_included"]
