/** A search in the form that Search UI gives to the connector. */
export interface SearchUiState {
  readonly searchTerm?: string
  readonly current?: number
  readonly resultsPerPage?: number
  readonly sortList?: readonly { readonly field: string; readonly direction: 'asc' | 'desc' }[]
  readonly filters?: readonly {
    readonly field: string
    readonly type: 'any' | 'all' | 'none'
    readonly values: readonly unknown[]
  }[]
}

type Hit = Readonly<Partial<Record<string, { readonly raw?: unknown; readonly snippet?: readonly string[] }>>>
interface Counts {
  readonly data: readonly { readonly value: unknown; readonly count: number }[]
}

export interface SearchUiAnswer {
  readonly totalResults: number
  readonly totalPages: number
  readonly pagingStart: number
  readonly pagingEnd: number
  readonly facets: Readonly<Partial<Record<string, readonly Counts[]>>>
  readonly results: readonly Hit[]
}

export interface SearchUiSuggestions {
  readonly autocompletedResults: SearchUiAnswer['results']
  readonly autocompletedSuggestions: Readonly<
    Partial<Record<string, readonly { readonly suggestion?: string }[]>>
  >
}

/** The connector of existing frontends: `@elastic/search-ui-elasticsearch-connector`, unchanged. */
export interface SearchUiClient {
  onSearch(state: SearchUiState, config: object): Promise<SearchUiAnswer>
  onAutocomplete(state: SearchUiState, config: object): Promise<SearchUiSuggestions>
}

type ClientClass = new (options: object) => SearchUiClient

/**
 * @param host URL with a slash at the end, because the connector drops the text behind the last slash
 * @param options such as `apiKey`
 */
export async function openSearchUiClient(
  host: string,
  index: string,
  options: object = {},
): Promise<SearchUiClient> {
  // The type declarations of the package describe its other build.
  const name = '@elastic/search-ui-elasticsearch-connector'
  const { default: Client } = (await import(name)) as { readonly default: ClientClass }
  return new Client({ host, index, ...options })
}
