import type { Feature } from './feature.js'
import { comparison } from './features/comparison/feature.js'
import { crosswalks } from './features/crosswalks/feature.js'
import { elasticsearchApi } from './features/elasticsearch-api/feature.js'
import { exports } from './features/exports/feature.js'
import { gitHttp } from './features/git-http/feature.js'
import { harvesting } from './features/harvesting/feature.js'
import { maintenance } from './features/maintenance/feature.js'
import { pages } from './features/pages/feature.js'
import { transfer } from './features/transfer/feature.js'

/** All features of the program. Nothing else in the core names one. @see docs/understand/features.md */
export const features: readonly Feature[] = [
  comparison, // diff, blame and impact
  elasticsearchApi, // search routes of existing frontends
  exports, // formats of others, catalogue, sitemap
  crosswalks, // what documents say about themselves
  gitHttp, // clone, fetch and push
  harvesting, // OAI-PMH
  maintenance, // verify, repair and purge
  pages, // HTML
  transfer, // import and export
]
