import { UsageError } from '../command-context.js'

/**
 * Checks the value of an option.
 * @param option its name without `--`
 * @throws UsageError unless the value is a whole number in the range
 */
export function requireWholeNumber(option: string, value: number, min: number, max?: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= (max ?? value)) return
  const range = max === undefined ? `from ${min}` : `from ${min} to ${max}`
  throw new UsageError(`--${option} must be a whole number ${range}.`)
}

/** Limit of an option in seconds: a timer of Node.js lasts at most 2^31 milliseconds. */
export const maxSeconds = 2_000_000
