import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { MetricsRecorder } from '../../core/metrics-recorder.js'
import type { DiskSpace } from '../../service/operations/disk-space.js'
import type { Gauges } from '../../service/operations/gauges.js'
import { openDurationHistogram } from './duration-histogram.js'
import type { CountRequest } from './request-log.js'

/** What the server counts and measures, for Prometheus. Numbers only: no id, no name, no path, no address. */
export interface Metrics {
  readonly count: CountRequest
  /** For those who do the work. */
  readonly observer: MetricsRecorder
  /** @returns everything in the text format 0.0.4 */
  text(figures: Gauges): Promise<string>
}

export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8'

/** Upper bounds in seconds. */
const requestTimes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const flushTimes = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const validationTimes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 10]
/** Updates. */
const flushSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256]

/** Methods there are routes for; what others a client thinks of is one more. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])

const namesOf = 'metastore_'

/** Milliseconds between two looks at the event loop. */
const lagPrecision = 20

/** Measures from now on. The process is looked at as long as it lives. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPrecision })

  const requests = openDurationHistogram(
    'http_request_duration_seconds',
    'Time until an answer was ready; of one that is streamed, until its end.',
    ['method', 'route', 'status'],
    requestTimes,
  )
  registry.registerMetric(requests.metric)
  const flushed = new Histogram({
    name: `${namesOf}flush_updates`,
    help: 'Updates that were made durable together.',
    buckets: flushSizes,
    registers,
  })
  const flushing = new Histogram({
    name: `${namesOf}flush_duration_seconds`,
    help: 'Time a flush took, from planning its updates to their being durable.',
    buckets: flushTimes,
    registers,
  })
  const validating = new Histogram({
    name: `${namesOf}validation_duration_seconds`,
    help: 'Time from asking for the check of a schema or document to its verdict, waiting for a worker included.',
    labelNames: ['language'],
    buckets: validationTimes,
    registers,
  })

  const gauges = gaugesOf.map(({ name, help, value }) => {
    const gauge = new Gauge({ name: namesOf + name, help, registers })
    return (figures: Gauges) => {
      const now = value(figures)
      if (now === undefined) gauge.remove()
      else gauge.set(now)
    }
  })
  const ofKinds = gaugesOfKinds.map(({ name, help, value }) => {
    const gauge = new Gauge({ name: namesOf + name, help, labelNames: ['kind'], registers })
    return (figures: Gauges) => {
      for (const [kind, number] of Object.entries(value(figures))) gauge.set({ kind }, number)
    }
  })

  return {
    count(route, method, status, milliseconds) {
      const known = methods.has(method) ? method : 'other'
      requests.add([known, route ?? 'none', String(status)], milliseconds / 1000)
    },
    observer: {
      flushed(updates, milliseconds) {
        flushed.observe(updates)
        flushing.observe(milliseconds / 1000)
      },
      validated(language, milliseconds) {
        validating.observe({ language }, milliseconds / 1000)
      },
    },
    async text(figures) {
      for (const set of [...gauges, ...ofKinds]) set(figures)
      return await registry.metrics()
    },
  }
}

interface GaugeOf<T> {
  readonly name: string
  readonly help: string
  /** Undefined: not known at the moment; then it is left out. */
  readonly value: (figures: Gauges) => T
}

const room = (pick: keyof DiskSpace) => (figures: Gauges) => figures.space?.[pick]

const gaugesOf: readonly GaugeOf<number | undefined>[] = [
  { name: 'queue_length', help: 'Updates that wait for the writer.', value: ({ waiting }) => waiting },
  {
    name: 'takes_updates',
    help: 'Whether updates are taken: 0 after the disk has failed one, until the server is started again.',
    value: ({ takesUpdates }) => Number(takesUpdates),
  },
  {
    name: 'validations_in_progress',
    help: 'Checks of schemas and documents that are not answered yet.',
    value: ({ validations }) => validations,
  },
  { name: 'validation_workers', help: 'Workers that check.', value: ({ workers }) => workers },
  {
    name: 'catalog_lag_commits',
    help: 'Commits of the branch that the catalog does not reflect; absent where the branch has lost commits.',
    value: ({ behind }) => behind,
  },
  {
    name: 'catalog_lag_seconds',
    help: 'Time since the catalog was first seen elsewhere than at the branch.',
    value: ({ behindFor }) => behindFor,
  },
  { name: 'packs', help: 'Packs of the repository.', value: ({ packs }) => packs?.count },
  { name: 'packs_bytes', help: 'Bytes of the packs.', value: ({ packs }) => packs?.bytes },
  { name: 'disk_free_bytes', help: 'Room that is left where records are kept.', value: room('free') },
  { name: 'disk_size_bytes', help: 'Room there is where records are kept.', value: room('total') },
]

const gaugesOfKinds: readonly GaugeOf<Gauges['records']>[] = [
  { name: 'records', help: 'Records that are listed.', value: ({ records }) => records },
  {
    name: 'faults',
    help: 'Records whose newest revision breaks a rule, so that the last good one is served.',
    value: ({ faults }) => faults,
  },
]
