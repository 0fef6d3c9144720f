// Numbers as people write them.

export function number(value, digits = 5) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) {
    const [mantissa, power] = value.toExponential(Math.min(digits - 1, 3)).split("e");
    return `${Number(mantissa)}e${Number(power)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

// With commas between thousands, and not as a power of ten: 1,234,567; 0.000001.
export function plain(value, decimals = undefined) {
  const most = decimals ?? Math.min(12, Math.max(0, 5 - Math.floor(Math.log10(Math.abs(value) || 1))));
  return value.toLocaleString("en-GB", { minimumFractionDigits: decimals ?? 0, maximumFractionDigits: most });
}

// An answer in the digits that its interval supports, whose ends are rounded outwards: three digits
// of the margin from 1,000 on, whole numbers from 10 on, and below that one digit, or two if it
// begins with 1 or 2: 33,871 plus or minus 347; 3.7. The margin is that of the rounded number, and
// `even` says whether it says as much as the ends do.
export function measured(value, low, high) {
  if (low === null || high === null) return { value: number(value), margin: null, low: null, high: null, even: false };
  const half = Math.max(high - value, value - low);
  const lead = half > 0 ? Math.floor(Math.log10(half)) : 0;
  let place = lead >= 3 ? lead - 2 : lead >= 1 ? 0 : half < 3 * 10 ** lead ? lead - 1 : lead;
  if (!(half > 0)) place = Number.isInteger(value) ? 0 : -6;
  if ([value, low, high].every(Number.isInteger)) place = Math.max(place, 0);
  const unit = 10 ** place, decimals = Math.max(0, -place);
  const to = (one, round, slack) => round(one / unit + slack) * unit + 0;
  const near = to(value, Math.round, 0), margin = to(Math.max(high - near, near - low), Math.ceil, -1e-9);
  return {
    value: plain(near, decimals), margin: plain(margin, decimals), low: plain(to(low, Math.floor, 1e-9), decimals), high: plain(to(high, Math.ceil, -1e-9), decimals),
    even: margin <= 0.55 * (high - low) + 1e-9,
  };
}

// A question as people say it; as it is where its text could mean several things.
export function spokenQuery(query) {
  const said = { mean: "Mean of", median: "Median of", total: "Total of", variance: "Variance of", histogram: "Histogram of" };
  const [, kind, about, rest] = /^(\w+)\(([^()]*)\)( .*)?$/.exec(query) ?? [];
  if (kind in said) return `${said[kind]} ${about}${rest ?? ""}`;
  if (kind === "count") return `Number of rows${about ? ` with a ${about}` : ""}${rest ?? ""}`;
  if (kind === "share") return `Share of rows with ${about}${rest ?? ""}`;
  const parts = kind === "quantile" ? /^(.*), ([\d.]+)$/.exec(about) : null;
  return parts ? `Quantile ${parts[2]} of ${parts[1]}${rest ?? ""}` : query;
}

export function percent(share) {
  if (share === null || share === undefined) return "–";
  const value = 100 * share;
  if (value >= 1000) return `${number(1 + share, 3)} times`;
  return value < 10 ? `${value.toFixed(2)} %` : `${value.toFixed(1)} %`;
}

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name === "class") element.className = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const byId = (id) => document.getElementById(id);
