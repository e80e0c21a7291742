import type { ServiceOptions } from '../http/test-service.js'
import { clusterOptions, describeOneCluster } from './test-cluster.js'

/** A search engine under test. */
export interface TestEngine {
  /** The name of the engine in answers. */
  readonly name: 'embedded' | 'cluster'
  /** The options of a service with this engine. */
  readonly options: Pick<ServiceOptions, 'features'>
}

/** Declares tests that every engine must pass: the embedded index and, if there is a real one, a cluster. */
export function describeEngines(title: string, declare: (engine: TestEngine) => void): void {
  describe(title, () => {
    declare({ name: 'embedded', options: {} })
  })
  describeOneCluster(`${title}, with a cluster`, cluster =>
    declare({ name: 'cluster', options: { features: clusterOptions(cluster) } }),
  )
}
