import { NumberList } from './number-list.js'

/** For each value of hits: a key that identifies it, a text, and the number of hits. Two texts may have one key. */
export type FieldCounts = readonly (readonly [key: string | number, text: string, n: number])[]

/** Numbers the different values of a field. */
class Texts {
  readonly #numbers = new Map<string | number, number>()
  readonly #texts: (string | number)[] = []
  readonly #keys: (string | number)[] = []

  get size(): number {
    return this.#texts.length
  }

  number(text: string | number, key: () => string | number): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.size)
    this.#keys.push(key())
    return this.#texts.push(text) - 1
  }

  /** The values that have hits. @param counts the number of hits of each value, by the number of the value */
  counts(counts: Uint32Array): FieldCounts {
    const valuesOfHits: (readonly [key: string | number, text: string, n: number])[] = []
    for (const [number, n] of counts.entries()) {
      if (n > 0) valuesOfHits.push([this.#keys[number] ?? '', String(this.#texts[number]), n])
    }
    return valuesOfHits
  }
}

/** The values of a field with at most one value, by the slots of the rows. */
export class SingleColumn {
  readonly #texts = new Texts()
  /** The number of the value plus one; 0 stands for no value. */
  readonly #numbers = new NumberList()

  /** Adds the value of the next slot. */
  push(value: string | number | null): void {
    this.#numbers.push(value === null ? 0 : this.#texts.number(value, () => value) + 1)
  }

  counts(slots: Int32Array): FieldCounts {
    const { values } = this.#numbers
    const counts = new Uint32Array(this.#texts.size + 1)
    for (const slot of slots) {
      const number = values[slot] ?? 0
      counts[number] = (counts[number] ?? 0) + 1
    }
    return this.#texts.counts(counts.subarray(1))
  }
}

/** The values of a field that may have several, by the slots of the rows. */
export class ListColumn {
  readonly #texts = new Texts()
  /** The index of the first value of each slot. */
  readonly #starts = new NumberList()
  readonly #numbers = new NumberList()
  /** The numbers of the values of each slot since the last {@link close}, which moves them to `#numbers`. */
  readonly #open = new Map<number, number[]>()

  /** Number of different values. */
  get size(): number {
    return this.#texts.size
  }

  /** Adds a value of a slot, which {@link close} closes. @param key what identifies the value */
  add(slot: number, text: string, key: () => string): void {
    const value = this.#texts.number(text, key)
    const known = this.#open.get(slot)
    if (known) known.push(value)
    else this.#open.set(slot, [value])
  }

  /** Closes the slots from `first` up to `end`, exclusive. */
  close(first: number, end: number): void {
    for (let slot = first; slot < end; slot++) {
      this.#starts.set(slot, this.#numbers.length)
      for (const value of this.#open.get(slot) ?? []) this.#numbers.push(value)
    }
    this.#open.clear()
  }

  counts(slots: Int32Array): FieldCounts {
    const { values } = this.#numbers
    const starts = this.#starts.values
    const counts = new Uint32Array(this.#texts.size)
    for (const slot of slots) {
      const end = (slot + 1 < this.#starts.length ? starts[slot + 1] : this.#numbers.length) ?? 0
      for (let index = starts[slot] ?? 0; index < end; index++) {
        const number = values[index] ?? 0
        counts[number] = (counts[number] ?? 0) + 1
      }
    }
    return this.#texts.counts(counts)
  }
}
