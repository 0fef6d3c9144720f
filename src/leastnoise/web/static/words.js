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
