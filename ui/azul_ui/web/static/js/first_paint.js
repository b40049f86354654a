// A classic script, so that the theme is set before the first paint and the page does not flash.
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem("azul-settings") ?? "{}").theme;
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be blocked; the system's theme is used then.
  }
})();
