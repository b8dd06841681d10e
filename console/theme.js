// Runs before the first paint: the chosen theme, or the one of the system.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem('console:theme');
  } catch {
    // Storage may be denied; the theme of the system is used.
  }
  if (theme !== 'dark' && theme !== 'light')
    theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
})();
