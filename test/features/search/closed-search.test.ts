import { selfPrincipal } from '../../../src/core/access-control.js'
import { openersOf } from '../../../src/feature.js'
import { features } from '../../../src/features.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import { searchText } from '../../support/data/search-requests.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'
import { openClusterProxy } from '../../support/search/cluster-proxy.js'
import { clusterOptions } from '../../support/search/test-cluster.js'

describe('A search of a command', () => {
  after(removeRepositories)

  it('ends if its index closes while it waits', async () => {
    const cluster = openClusterProxy('http://127.0.0.1:9')
    const url = await cluster.listen()
    const repository = await temporaryRepository({ bare: true })
    const searchCluster = { url, prefix: 'x-', refill: false, hasFallback: false, base: '' }
    const services = await repository.compose(
      {},
      { features: await openersOf(features, clusterOptions(searchCluster)) },
    )
    const held = cluster.holdNext(() => true)

    const refused = expectProblem(
      () => searchText(services, selfPrincipal, 'x'),
      'unavailable',
      'shutting down',
    )
    await held.arrived
    await services.close()
    await refused
    cluster.close()
  })
})
