import type { Config } from '../config.js'
import type { MetricsRecorder } from '../core/metrics-recorder.js'
import { openValidator } from '../validation/open-validator.js'
import type { Validator } from '../validation/validator.js'

/** Opens a validator with the engine, the workers and the limits of the configuration. */
export function openConfiguredValidator(config: Config, observer?: MetricsRecorder): Validator {
  return openValidator({
    observer,
    xmlEngine: config.xmlEngine,
    timeLimit: config.validationTime,
    memoryLimit: config.validationMemory,
    depthLimit: config.validationDepth,
    ...(config.workers > 0 ? { workers: config.workers } : {}),
  })
}
