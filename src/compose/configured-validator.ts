import type { Config } from '../config.js'
import type { MetricsRecorder } from '../core/metrics-recorder.js'
import { openValidator } from '../validation/open-validator.js'
import type { Validator } from '../validation/validator.js'

let source = openValidator

/**
 * Replaces the source of validators. A command opens one validator, whose worker processes end with it. The process of
 * the tests runs one command after another, so it sets a source that shares a validator between commands.
 */
export function replaceValidatorSource(replacement: typeof openValidator): void {
  source = replacement
}

/** Opens a validator with the engine, the workers and the limits of the configuration. */
export function openConfiguredValidator(config: Config, observer?: MetricsRecorder): Validator {
  return source({
    xmlEngine: config.xmlEngine,
    timeLimit: config.validationTime,
    memoryLimit: config.validationMemory,
    depthLimit: config.validationDepth,
    ...(config.workers > 0 && { workers: config.workers }),
    observer,
  })
}
