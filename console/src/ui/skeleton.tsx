const WIDTHS = [70, 95, 88, 60, 92, 75];

/** Lines where text will stand; they appear after 150 ms. */
export function Skeleton() {
  return (
    <div className="skeletons" role="status" aria-label="Loading">
      {WIDTHS.map((width) => (
        <span key={width} className="skeleton skeleton-line" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
