import type { Config } from '../config.js'
import type { MetricsRecorder } from '../core/metrics-recorder.js'
import { openValidator } from '../validation/open-validator.js'
import type { Validator, ValidatorOptions } from '../validation/validator.js'

/** A validator that stays open for the next command of this process. */
interface KeptValidator {
  readonly validator: Validator
  /** The observer of the current command. */
  observer: MetricsRecorder | undefined
}

/** Limit of the validators that are kept, because each has worker processes. */
const maxKept = 2
/** The kept validators by their settings, in the order of their last use; undefined if none are kept. */
let kept: Map<string, KeptValidator> | undefined

/**
 * Makes commands with the same settings share worker processes, if one process runs commands one after the other. The
 * start of a worker takes 0.15 s of processor time, several times that of a short command.
 */
export function keepValidators(): void {
  kept ??= new Map()
}

/** Opens a validator with the engine, the workers and the limits of the configuration. */
export function openConfiguredValidator(config: Config, observer?: MetricsRecorder): Validator {
  const options: ValidatorOptions = {
    xmlEngine: config.xmlEngine,
    timeLimit: config.validationTime,
    memoryLimit: config.validationMemory,
    depthLimit: config.validationDepth,
    ...(config.workers > 0 ? { workers: config.workers } : {}),
  }
  return kept ? shareValidator(kept, options, observer) : openValidator({ ...options, observer })
}

function shareValidator(
  all: Map<string, KeptValidator>,
  options: ValidatorOptions,
  observer: MetricsRecorder | undefined,
): Validator {
  const key = JSON.stringify(options)
  const found = all.get(key) ?? openKept(options)
  found.observer = observer
  all.delete(key)
  all.set(key, found)
  for (const [name, { validator }] of all) {
    if (all.size <= maxKept) break
    all.delete(name)
    void validator.close()
  }
  return { ...found.validator, close: async () => undefined }
}

function openKept(options: ValidatorOptions): KeptValidator {
  const opened: KeptValidator = {
    observer: undefined,
    validator: openValidator({
      ...options,
      observer: { validated: (type, duration) => opened.observer?.validated(type, duration) },
    }),
  }
  return opened
}
