import { readInput } from '../../cli/arguments/input-file.js'
import { UsageError } from '../../cli/command-context.js'
import { trimEnd } from '../../core/value-types.js'
import type { ClusterCredentials } from './cluster/cluster-client.js'
import { isIndexPrefix } from './cluster/index-names.js'

/** An OpenSearch or Elasticsearch cluster. */
export interface ClusterSettings {
  /** Without user and password. */
  readonly url: string
  /** Beginning of the names of its indices. Repositories that share a cluster need different prefixes. */
  readonly prefix: string
  readonly credentials?: ClusterCredentials
  /**
   * Base URL of the service: the `_id` of a document is the address of its record, as existing index services write it.
   * Undefined: the `_id` is the path of that address.
   */
  readonly base?: string
  /** Each `_id` is the id of the record, without an address. */
  readonly hasBareIds?: boolean
  /** Fill new indices, although there are complete ones. */
  readonly refill: boolean
  /** Answer from the embedded index while the cluster does not answer. */
  readonly hasFallback: boolean
  /** Milliseconds between two checks of what is in the cluster; default: a minute. Tests lower it. */
  readonly checkInterval?: number
}

/** The options of `serve` about a search cluster. */
interface ClusterOptions {
  readonly searchUrl: string | undefined
  readonly searchIndex: string
  readonly searchCredentialsFile: string | undefined
  readonly searchFallback: string | undefined
  readonly searchIds: string | undefined
  readonly searchRefill: boolean
}

const variable = 'METASTORE_SEARCH_CREDENTIALS'

/**
 * The cluster that answers searches; undefined without `--search-url`.
 * @param search the option `--search`
 * @throws UsageError
 */
export async function clusterSettings(
  options: ClusterOptions,
  search: unknown,
  baseUrl: string | undefined,
): Promise<ClusterSettings | undefined> {
  const { searchUrl, searchIndex, searchCredentialsFile, searchFallback, searchIds, searchRefill } = options
  if (searchUrl === undefined) {
    const meant = {
      'search-credentials-file': searchCredentialsFile,
      'search-fallback': searchFallback,
      'search-ids': searchIds,
    }
    for (const [name, value] of Object.entries(meant))
      if (value !== undefined) throw new UsageError(`--${name} needs --search-url.`)
    if (searchRefill) throw new UsageError('--search-refill needs --search-url.')
    return undefined
  }
  if (search !== 'full') throw new UsageError(`Either --search-url or --search ${search}, not both.`)
  requireClusterUrl(searchUrl)
  if (!isIndexPrefix(searchIndex)) {
    throw new UsageError(
      '--search-index has to begin with a lower case letter or a digit, and may have up to 31 of the characters a-z 0-9 . _ -',
    )
  }
  const credentials = await credentialsOf(searchCredentialsFile)
  return {
    url: searchUrl,
    prefix: searchIndex,
    refill: searchRefill,
    hasFallback: searchFallback === 'embedded',
    ...(searchIds === 'bare' && { hasBareIds: true }),
    ...(baseUrl !== undefined && { base: trimEnd(baseUrl, '/') }),
    ...(credentials && { credentials }),
  }
}

function requireClusterUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new UsageError(
      `--search-url "${text}" is no URL of a cluster: write it as https://search.example.org:9200`,
    )
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `--search-url has a user or a password, which other users of the machine can read. Set ${variable}, or use --search-credentials-file.`,
    )
  }
}

/** Reads `user:password` or `ApiKey <key>`, from a file or the environment; undefined if empty. @throws UsageError */
async function credentialsOf(file: string | undefined): Promise<ClusterCredentials | undefined> {
  const text = file === undefined ? process.env[variable] : (await readInput(file)).toString()
  const line = text?.replace(/\r?\n$/, '')
  if (line === undefined || line === '') return undefined
  const key = /^ApiKey +([A-Za-z0-9+/=_-]+)$/.exec(line)?.[1]
  if (key !== undefined) return { type: 'api-key', key }
  const colon = line.indexOf(':')
  if (colon > 0 && !/[\r\n]/.test(line))
    return { type: 'basic', user: line.slice(0, colon), password: line.slice(colon + 1) }
  throw new UsageError(
    `${file ?? variable} should have one line: user:password, or ApiKey and the key of an Elasticsearch cluster.`,
  )
}
