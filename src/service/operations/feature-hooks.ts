import type { StaleLock } from '../../store/locks/lock-file.js'

/** A number that monitoring reads. */
export interface FeatureGauge {
  /** Name of the metric, without the prefix of this program. */
  readonly name: string
  readonly help: string
  /** The current value; undefined if it is not known now: then the metric is omitted. */
  read(): number | undefined
}

/** What a feature adds to health and metrics. */
export interface OperationHooks {
  /** Work of git's lock files that the feature needs: while a stale lock stops it, the service is down. */
  readonly needsUnlocked?: readonly StaleLock['stops'][]
  /** Members of `/health`, for callers who may read everything. They do not change its status. */
  health?(): Readonly<Record<string, unknown>>
  /** Numbers for monitoring. */
  readonly gauges?: readonly FeatureGauge[]
}
