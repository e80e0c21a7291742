import { UsageError } from '../command-context.js'

/**
 * Checks the value of an option.
 * @param option its name without `--`
 * @throws UsageError unless the value is a whole number in the range
 */
export function requireWholeNumber(option: string, value: number, least: number, most?: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= (most ?? value)) return
  const range = most === undefined ? `from ${least}` : `from ${least} to ${most}`
  throw new UsageError(`--${option} must be a whole number ${range}.`)
}
