import type { Config } from '../../../src/config.js'
import { describeWithCluster, removeIndices, testCluster } from './test-cluster.js'

/** A search engine under test. */
export interface TestEngine {
  /** The name of the engine in answers. */
  readonly name: 'embedded' | 'cluster'
  /** The configuration of a service with this engine. */
  readonly config: Partial<Config>
}

/** Declares tests that every engine must pass: the embedded index and, if there is a real one, a cluster. */
export function describeEngines(title: string, declare: (engine: TestEngine) => void): void {
  describe(title, () => {
    declare({ name: 'embedded', config: {} })
  })
  describeWithCluster(`${title}, with a cluster`, () => {
    const searchCluster = testCluster()
    declare({ name: 'cluster', config: { searchCluster } })
    after(async () => {
      await removeIndices(searchCluster)
    })
  })
}
