// Points as text, as mlcore/data/drawn.py has it: two coordinates of 16 bits and a class byte each.

const STEPS = 65535;
const BYTES = 5;

/** [[x, y, class], ...] with x and y in [-1, 1] as base64url. */
export function packed(points) {
  const view = new DataView(new ArrayBuffer(points.length * BYTES));
  points.forEach(([x, y, klass], i) => {
    view.setUint16(i * BYTES, Math.round(((x + 1) / 2) * STEPS));
    view.setUint16(i * BYTES + 2, Math.round(((y + 1) / 2) * STEPS));
    view.setUint8(i * BYTES + 4, klass);
  });
  const letters = Array.from(new Uint8Array(view.buffer), (byte) => String.fromCharCode(byte));
  const text = btoa(letters.join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The points of a text that Python has checked. */
export function unpacked(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const view = new DataView(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)).buffer);
  const coordinate = (at) => (view.getUint16(at) / STEPS) * 2 - 1;
  return Array.from({ length: letters.length / BYTES }, (_, i) => {
    const at = i * BYTES;
    return [coordinate(at), coordinate(at + 2), view.getUint8(at + 4)];
  });
}
