import { replaceValidatorSource } from '../../../src/compose/configured-validator.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator, ValidatorOptions } from '../../../src/validation/validator.js'

/** A validator that stays open for the next command of this process. */
interface SharedValidator {
  readonly validator: Validator
  /** The observer of the current command. */
  observer: ValidatorOptions['observer']
}

/** Limit of the validators that stay open, because each has worker processes. */
const maxShared = 2
/** The open validators by their settings, in the order of their last use. */
const shared = new Map<string, SharedValidator>()

/**
 * Makes commands with the same settings share worker processes, if one process runs commands one after the other. The
 * start of a worker takes 0.15 s of processor time, several times that of a short command.
 */
export function shareValidators(): void {
  replaceValidatorSource(({ observer, ...settings } = {}) => {
    const key = JSON.stringify(settings)
    const entry = shared.get(key) ?? openShared(settings)
    entry.observer = observer
    shared.delete(key)
    shared.set(key, entry)
    for (const [name, { validator }] of shared) {
      if (shared.size <= maxShared) break
      shared.delete(name)
      void validator.close()
    }
    return { ...entry.validator, close: async () => undefined }
  })
}

function openShared(settings: ValidatorOptions): SharedValidator {
  const entry: SharedValidator = {
    observer: undefined,
    validator: openValidator({
      ...settings,
      observer: { validated: (type, duration) => entry.observer?.validated(type, duration) },
    }),
  }
  return entry
}
