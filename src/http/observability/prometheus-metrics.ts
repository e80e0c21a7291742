import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricsRecorder } from '../../core/metrics-recorder.js'
import type { DiskSpace } from '../../service/operations/disk-space.js'
import type { Gauges } from '../../service/operations/gauges.js'
import type { CountRequest } from './request-log.js'

/** Metrics for Prometheus. Labels contain no id, name, path or address. */
export interface Metrics {
  readonly count: CountRequest
  /** Is told the duration of each flush and each validation. */
  readonly observer: MetricsRecorder
  /** @returns all metrics in the text format 0.0.4 */
  text(gauges: Gauges): Promise<string>
}

export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8'

/** Upper bounds of the buckets of the histograms, in seconds. */
const requestTimes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const flushTimes = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const validationTimes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 10]
/** Upper bounds of the buckets of the histogram, in updates of a flush. */
const flushSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256]

/** Values of the label `method`; any other method is `other`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])

const prefix = 'metastore_'

/** Milliseconds between two measurements of the event loop lag. */
const lagPrecision = 20

/** Starts to measure, which lasts until the process ends. */
export async function openMetrics(): Promise<Metrics> {
  // Loaded on demand: these packages have 95 files, and most servers have no metrics.
  const { collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]

  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time until a response was ready; for a stream, until its end.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestTimes,
    registers,
  })
  const flushed = new Histogram({
    name: `${prefix}flush_updates`,
    help: 'Updates in one flush.',
    buckets: flushSizes,
    registers,
  })
  const flushing = new Histogram({
    name: `${prefix}flush_duration_seconds`,
    help: 'Duration of a flush, from planning its updates until they are durable.',
    buckets: flushTimes,
    registers,
  })
  const validating = new Histogram({
    name: `${prefix}validation_duration_seconds`,
    help: 'Duration of the validation of a schema or document, including the wait for a worker.',
    labelNames: ['language'],
    buckets: validationTimes,
    registers,
  })

  const setGauges = gauges.map(({ name, help, value }) => {
    const gauge = new Gauge({ name: prefix + name, help, registers })
    return (gauges: Gauges) => {
      const now = value(gauges)
      if (now === undefined) gauge.remove()
      else gauge.set(now)
    }
  })
  const setGaugesByKind = gaugesByKind.map(({ name, help, value }) => {
    const gauge = new Gauge({ name: prefix + name, help, labelNames: ['kind'], registers })
    return (gauges: Gauges) => {
      for (const [kind, number] of Object.entries(value(gauges))) gauge.set({ kind }, number)
    }
  })

  /** Gauges of features by name. They are known when the features are open. */
  const ofFeatures = new Map<string, InstanceType<typeof Gauge>>()
  function setGaugeOfFeature({ name, help, value }: Gauges['ofFeatures'][number]): void {
    const gauge = ofFeatures.get(name) ?? new Gauge({ name: prefix + name, help, registers })
    ofFeatures.set(name, gauge)
    if (value === undefined) gauge.remove()
    else gauge.set(value)
  }

  let measured: Promise<void> | undefined

  /** Begins to measure the process, and waits for the first measurement of the event loop. */
  async function measureProcess(): Promise<void> {
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPrecision })
    // Begins after that of the package, so it has its first measurement later.
    const own = monitorEventLoopDelay({ resolution: lagPrecision })
    own.enable()
    while (own.count === 0) await sleep(lagPrecision)
    own.disable()
  }

  return {
    count(route, method, status, milliseconds) {
      const known = methods.has(method) ? method : 'other'
      requests.observe({ method: known, route: route ?? 'none', status: String(status) }, milliseconds / 1000)
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
    async text(gauges) {
      // To measure the lag wakes the event loop 50 times a second, which a server that nobody watches does not need.
      measured ??= measureProcess()
      await measured
      for (const set of [...setGauges, ...setGaugesByKind]) set(gauges)
      gauges.ofFeatures.forEach(setGaugeOfFeature)
      return await registry.metrics()
    },
  }
}

interface GaugeOf<T> {
  readonly name: string
  readonly help: string
  /** The current value; undefined if it is not known now: then the metric is omitted. */
  readonly value: (gauges: Gauges) => T
}

const space = (pick: keyof DiskSpace) => (gauges: Gauges) => gauges.space?.[pick]

const gauges: readonly GaugeOf<number | undefined>[] = [
  { name: 'queue_length', help: 'Updates that wait for the writer.', value: ({ waiting }) => waiting },
  {
    name: 'takes_updates',
    help: '1 if updates are accepted; 0 from a failure of the disk until the server is restarted.',
    value: ({ takesUpdates }) => Number(takesUpdates),
  },
  {
    name: 'validations_in_progress',
    help: 'Validations of schemas and documents in progress, including those that wait.',
    value: ({ validations }) => validations,
  },
  { name: 'validation_workers', help: 'Processes that validate.', value: ({ workers }) => workers },
  {
    name: 'catalog_lag_commits',
    help: 'Commits of the branch that the catalog lacks; absent if the branch has lost commits.',
    value: ({ behind }) => behind,
  },
  {
    name: 'catalog_lag_seconds',
    help: 'Time since the catalog was first found at another commit than the branch.',
    value: ({ behindFor }) => behindFor,
  },
  { name: 'packs', help: 'Packs of the repository.', value: ({ packs }) => packs?.count },
  { name: 'packs_bytes', help: 'Size of the packs.', value: ({ packs }) => packs?.bytes },
  { name: 'disk_free_bytes', help: 'Free space on the disk with the records.', value: space('free') },
  { name: 'disk_size_bytes', help: 'Size of the disk with the records.', value: space('total') },
]

const gaugesByKind: readonly GaugeOf<Gauges['records']>[] = [
  { name: 'records', help: 'Records in the lists.', value: ({ records }) => records },
  {
    name: 'faults',
    help: 'Records whose newest revision breaks a rule, and of which the last good one is served.',
    value: ({ faults }) => faults,
  },
]
