// Plotly's typed-array notation: {dtype, bdata, shape}, little-endian, base64.

const KINDS = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array,
  i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};

/** The array that `it` notes; anything else as it is. */
export function unpacked(it) {
  if (!it?.bdata) return it;
  const bytes = Uint8Array.from(atob(it.bdata), (c) => c.charCodeAt(0));
  const flat = new KINDS[it.dtype](bytes.buffer);
  if (!it.shape) return flat;
  const [, width] = it.shape.split(",").map(Number);
  return Array.from({ length: flat.length / width }, (_, i) =>
    flat.subarray(i * width, (i + 1) * width));
}
