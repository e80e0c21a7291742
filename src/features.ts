import type { Feature } from './feature.js'
import { changeFeed } from './features/change-feed/feature.js'
import { comparison } from './features/comparison/feature.js'
import { comparisonPage } from './features/comparison-page/feature.js'
import { crosswalks } from './features/crosswalks/feature.js'
import { documentView } from './features/document-view/feature.js'
import { elasticsearchApi } from './features/elasticsearch-api/feature.js'
import { exports } from './features/exports/feature.js'
import { gitHttp } from './features/git-http/feature.js'
import { harvesting } from './features/harvesting/feature.js'
import { maintenance } from './features/maintenance/feature.js'
import { pages } from './features/pages/feature.js'
import { remotes } from './features/remotes/feature.js'
import { search } from './features/search/feature.js'
import { searchCluster } from './features/search-cluster/feature.js'
import { searchPage } from './features/search-page/feature.js'
import { storedSets } from './features/stored-sets/feature.js'
import { transfer } from './features/transfer/feature.js'
import { web } from './features/web/feature.js'
import { webApi } from './features/web-api/feature.js'
import { workingCopy } from './features/working-copy/feature.js'

/**
 * All features of the program, each after those that it needs. Nothing else in the core names one.
 * @see docs/understand/features.md
 */
export const features: readonly Feature[] = [
  changeFeed, // every change, for clients that follow
  remotes, // follower, mirror, shared log
  comparison, // diff, blame and impact
  exports, // formats of others, catalogue, sitemap
  crosswalks, // what documents say about themselves
  gitHttp, // clone, fetch and push
  search, // full text, facets, suggestions
  searchCluster, // the search of an OpenSearch cluster
  elasticsearchApi, // search routes of existing frontends
  harvesting, // OAI-PMH
  storedSets, // sets for harvesters by searches
  workingCopy, // check and commit edits, hooks
  maintenance, // verify, repair and purge
  pages, // HTML
  comparisonPage, // the page that compares two versions
  searchPage, // the page with search results
  transfer, // import and export
  webApi, // what applications in a browser need
  documentView, // documents drawn by their schemas, schemas as trees
  web, // the browser application
]
