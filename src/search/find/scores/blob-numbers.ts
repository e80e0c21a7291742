/**
 * The numbers of a blob in which FTS5 has stored them one after the other: each byte has seven bits of a number, the
 * highest bits first, and a byte of 128 or more is followed by another byte of the same number. Reads numbers of at
 * most eight bytes.
 * @param hex the bytes, each as two hexadecimal digits
 * @see https://sqlite.org/fileformat2.html §1.6, variable-length integer
 */
export function numbersOfBlob(hex: string): readonly number[] {
  const numbers: number[] = []
  let number = 0
  for (let offset = 0; offset < hex.length; offset += 2) {
    const byte = Number.parseInt(hex.slice(offset, offset + 2), 16)
    number = number * 128 + (byte & 127)
    if (byte >= 128) continue
    numbers.push(number)
    number = 0
  }
  return numbers
}
