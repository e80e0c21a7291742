import { forgetMetaSchemas } from '../json/schema-dialect.js'
import type { SchemaBundle } from '../validator.js'
import type { TimeLimit } from './time-limit.js'

/** The time limit of the work of jobs. The first work with a schema language loads code, and gets more time. */
interface JobTimeLimit {
  /** Begins a job. @param isRepeated whether the job was stopped before because other processes had the processor */
  begin(isRepeated: boolean): void
  /**
   * Runs work with one schema language. It must not change the cache, because the time limit may stop it at any point.
   * @throws TimeLimitExceeded
   */
  run<T>(type: SchemaBundle['type'], work: () => T): T
  /** Runs validations against compiled schemas, for which no code is loaded. @throws TimeLimitExceeded */
  runValidations(work: () => void): void
  /** Forgets the meta schemas, which stopped work may have left incomplete. */
  forgetMetaSchemas(): void
}

export function openJobTimeLimit(timeLimit: TimeLimit): JobTimeLimit {
  const languagesBegun = new Set<SchemaBundle['type']>()
  let isJobRepeated = false

  return {
    begin(isRepeated) {
      isJobRepeated = isRepeated
    },
    run(type, work) {
      const isFirst = !languagesBegun.has(type)
      languagesBegun.add(type)
      return timeLimit.run(work, isFirst, isJobRepeated)
    },
    runValidations: work => timeLimit.run(work, false, isJobRepeated),
    forgetMetaSchemas() {
      forgetMetaSchemas()
      // The next task gets more time, because it compiles the meta schemas again.
      languagesBegun.delete('JSON')
    },
  }
}
