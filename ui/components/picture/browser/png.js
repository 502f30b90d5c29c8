// A PNG that says what it comes from: a text block behind its header.

const HEADER = 33; // bytes of the signature and of the first block

/** The address of a PNG as the address of one that carries `text` as its description. */
export function described(address, text) {
  const bytes = Uint8Array.from(atob(address.slice(address.indexOf(",") + 1)), codeOf);
  const parts = [bytes.subarray(0, HEADER), block("iTXt", text), bytes.subarray(HEADER)];
  return URL.createObjectURL(new Blob(parts, { type: "image/png" }));
}

/** A block: length, name, content (keyword, not compressed, no language, text), check sum. */
function block(name, text) {
  const content = new TextEncoder().encode(`${name}Description\0\0\0\0\0${text}`);
  const made = new Uint8Array(content.length + 8);
  const view = new DataView(made.buffer);
  view.setUint32(0, content.length - name.length);
  made.set(content, 4);
  view.setUint32(content.length + 4, crc32(content));
  return made;
}

/** The check sum of PNG (ISO 3309), bit by bit: the text is short. */
function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

const codeOf = (letter) => letter.charCodeAt(0);

/** The address of a PNG of what stands at the address of an SVG. */
export async function rasterised(address, { width, height, scale }) {
  const image = Object.assign(new Image(), { src: address });
  await image.decode();
  const size = { width: width * scale, height: height * scale };
  const canvas = Object.assign(document.createElement("canvas"), size);
  canvas.getContext("2d").drawImage(image, 0, 0, size.width, size.height);
  return canvas.toDataURL("image/png");
}
