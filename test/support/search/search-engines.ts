import type { Config } from '../../../src/config.js'
import { describeWithCluster, removeIndices, testCluster } from './test-cluster.js'

/** An engine that answers the searches of a test. */
export interface TestEngine {
  /** As answers name it. */
  readonly name: 'embedded' | 'cluster'
  /** The configuration of a service with this engine. */
  readonly config: Partial<Config>
}

/** Declares tests that every engine passes: the own index and, where there is a real one, a cluster. */
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
