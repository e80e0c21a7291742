import type { Metric, MetricValueWithName } from 'prom-client'

export interface DurationHistogram {
  /** Counts a duration. @param labels in the order of their names */
  add(labels: readonly string[], seconds: number): void
  /** For `Registry.registerMetric`. */
  readonly metric: Metric
}

interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** For each bucket; the last one has no upper bound. */
  readonly counts: number[]
  sum: number
}

interface Branch {
  readonly below: Map<string, Branch>
  series?: Series
}

/**
 * A histogram for prom-client that finds a series by a tree of labels. The histogram of prom-client builds a text of
 * all labels at each observation, which costs more than all other measurements of a request.
 * @param bounds in seconds, ascending
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/ "Histograms and summaries"
 */
export function openDurationHistogram(
  name: string,
  help: string,
  labelNames: readonly string[],
  bounds: readonly number[],
): DurationHistogram {
  const root: Branch = { below: new Map() }
  const all: Series[] = []

  function seriesOf(labels: readonly string[]): Series {
    let branch = root
    for (const label of labels) {
      let next = branch.below.get(label)
      if (!next) {
        next = { below: new Map() }
        branch.below.set(label, next)
      }
      branch = next
    }
    if (!branch.series) {
      const named = Object.fromEntries(labelNames.map((labelName, at) => [labelName, labels[at] ?? '']))
      branch.series = { labels: named, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
      all.push(branch.series)
    }
    return branch.series
  }

  function values(): readonly MetricValueWithName<string>[] {
    return all.flatMap(({ labels, counts, sum }) => {
      let count = 0
      const buckets = counts.map((more, at) => {
        count += more
        const le = bounds[at] ?? '+Inf'
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
  }

  return {
    add(labels, seconds) {
      const series = seriesOf(labels)
      let at = 0
      while (at < bounds.length && seconds > (bounds[at] as number)) at++
      series.counts[at] = (series.counts[at] as number) + 1
      series.sum += seconds
    },
    // the members that a registry uses; the type `Metric` is a union of the classes of the package
    metric: {
      name,
      help,
      get: async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() }),
    } as unknown as Metric,
  }
}
