"""`azul web`: games, analyses and reviews in the browser. docs/WEB_PROTOCOL.md is the contract between server and page."""
