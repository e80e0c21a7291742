import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRef } from 'preact/hooks'
import { type Facets, type SearchPart, search } from '../api/search.js'
import {
  facetNames,
  narrowingCount,
  type SearchQuestion,
  searchAddress,
  withoutNarrowing,
} from './search-question.js'

/** The place of a part in the results. */
interface PartPlace {
  /** From 0. */
  readonly index: number
  readonly after?: string
  readonly previous?: PartPlace
}

/** Limit of the records that are kept. */
const maxKept = 500
/** Records of a part. Passages are long to find and to read. */
const partSizes = { passages: 20, rows: 100 }

/** The results of a search, part by part, with the counts of the facets. */
export function useResults(question: SearchQuestion) {
  const key = searchAddress(question)
  const hasPassages = question.q !== ''
  const size = hasPassages ? partSizes.passages : partSizes.rows
  /** A commit that the results must reflect. */
  const since = useRef<string | undefined>(undefined)
  const found = useInfiniteQuery({
    queryKey: ['search', key],
    queryFn: ({ pageParam: { index, after }, signal }) =>
      search(
        question,
        {
          ...{ after, size, hasPassages, isShown: true },
          ...{ facets: index === 0 ? facetNames : [], since: since.current },
        },
        signal,
      ),
    initialPageParam: { index: 0 } as PartPlace,
    getNextPageParam: ({ next }, _, place): PartPlace | undefined =>
      next === undefined ? undefined : { index: place.index + 1, after: next, previous: place },
    getPreviousPageParam: (_, __, place) => place.previous,
    maxPages: maxKept / size,
    placeholderData: keepPreviousData,
  })
  const places = (found.data?.pageParams ?? []) as readonly PartPlace[]
  const known = useFirstPart(places[0]?.index === 0 ? found.data?.pages[0] : undefined)
  return {
    ...found,
    /** The parts that are kept, with their places. */
    parts: (found.data?.pages ?? []).map((part, index) => ({
      part,
      index: places[index]?.index ?? index,
      size,
    })),
    /** The first part, which has the total and the counts, also while it is not kept. */
    // The first part of an earlier search is not the result of one that failed.
    first: found.data && known,
    counts: useCounts(question, known?.facets),
    /** Results that are read from now on reflect a commit. */
    mustReflect(commit: string) {
      since.current = commit
    },
  }
}

function useFirstPart(part: SearchPart | undefined): SearchPart | undefined {
  const known = useRef<SearchPart | undefined>(undefined)
  if (part) known.current = part
  return known.current
}

/** The counts of the facets, and those without narrowing, which name the values that have no records any more. */
function useCounts(question: SearchQuestion, facets: Facets | undefined) {
  const wide = withoutNarrowing(question)
  const isNarrowed = narrowingCount(question) > 0
  const unnarrowed = useCountQuery(wide, facetNames, isNarrowed)
  // The interface has no counts of kinds that leave out the choice of a kind.
  const anyKind = { ...question, values: { ...question.values, kind: [] } }
  const kinds = useCountQuery(anyKind, ['kind'], question.values.kind.length > 0)
  const counted = new Map([...(facets ?? []), ...(kinds ?? [])])
  return { counted, unnarrowed: isNarrowed ? unnarrowed : undefined }
}

function useCountQuery(
  question: SearchQuestion,
  facets: typeof facetNames | readonly ['kind'],
  isNeeded: boolean,
) {
  const { data } = useQuery({
    queryKey: ['search counts', searchAddress({ ...question, sort: '' }), facets],
    queryFn: async ({ signal }) =>
      (
        await search(
          { ...question, sort: '' },
          { size: 1, hasPassages: false, isShown: false, facets },
          signal,
        )
      ).facets,
    enabled: isNeeded,
    placeholderData: keepPreviousData,
  })
  return isNeeded ? data : undefined
}
