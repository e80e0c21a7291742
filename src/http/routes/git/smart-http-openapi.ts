import type { ProblemKind } from '../../../core/problem.js'
import { problemResponses, problemResponsesFor } from '../../openapi/problem-responses.js'
import {
  type Content,
  type Headers,
  headerRef,
  type Operation,
  type Paths,
  type Responses,
  type Schema,
} from '../../openapi/specification-types.js'

/** What git says to git. */
const bytes: Schema = { type: 'string', contentMediaType: 'application/octet-stream' }

const headers: Headers = { 'Cache-Control': headerRef('CacheControl') }
const about = { tags: ['Git'], security: [{}, { bearer: [] }, { password: [] }] } as const

/** Problems as plain text where a git client asks, which shows a person no other. */
function problemTextsOf(told: Partial<Record<ProblemKind, string | true>>): Responses {
  const text: Content = { 'text/plain': { schema: { type: 'string', minLength: 1 } } }
  return Object.fromEntries(
    Object.entries(problemResponsesFor(told)).map(([status, { $ref, description }]) => {
      const component = problemResponses[$ref.replace(/^.*\//, '')]
      return [
        status,
        {
          ...component,
          description: description ?? component?.description ?? '',
          content: { ...component?.content, ...text },
        },
      ]
    }),
  )
}

const problems: Partial<Record<ProblemKind, string | true>> = {
  unauthenticated:
    'Not everything in the repository is for everybody, or somebody wants to push: this needs the token of an administrator.',
  forbidden: 'The caller is no administrator; or it wants to push, and the server takes no pushes.',
  unavailable:
    'Too many clients are answered already: try again after `Retry-After` seconds. Or the server has no git binary.',
}

/** The repository as git clients see it. */
export const gitPaths: Paths = {
  '/repository.git/info/refs': {
    get: {
      ...about,
      operationId: 'refs',
      summary: 'The branches and tags there are',
      description:
        'What `git clone`, `git fetch` and `git push` ask first (smart protocol, versions 0 to 2, by `Git-Protocol`). Everything can ' +
        'be cloned with `git clone <server>/repository.git`, also shallow (`--depth`) and in part (`--filter`).',
      parameters: [
        {
          name: 'service',
          in: 'query',
          description: 'What the client is going to do.',
          required: true,
          schema: { enum: ['git-upload-pack', 'git-receive-pack'] },
        },
      ],
      responses: {
        200: {
          description: 'In the words of the protocol.',
          headers,
          content: {
            'application/x-git-upload-pack-advertisement': { schema: bytes },
            'application/x-git-receive-pack-advertisement': { schema: bytes },
          },
        },
        ...problemTextsOf(problems),
      },
    },
  },
  '/repository.git/git-upload-pack': {
    post: conversation(
      'upload-pack',
      'The objects a clone or a fetch wants',
      'What `git upload-pack` of the server makes of the body, as it makes it. The body may be gzipped.',
    ),
  },
  '/repository.git/git-receive-pack': {
    post: conversation(
      'receive-pack',
      'Objects and branches that are pushed',
      'Off unless the server was started with `--allow-push`. What is pushed to the served branch is checked before the ' +
        'branch moves, by the rules of a PUT; the answer says, in the words of the protocol, whether it was accepted, and ' +
        'what is wrong otherwise. What was accepted is in all lists when the answer ends.',
    ),
  },
}

function conversation(
  program: 'upload-pack' | 'receive-pack',
  summary: string,
  description: string,
): Operation {
  return {
    ...about,
    operationId: program === 'upload-pack' ? 'uploadPack' : 'receivePack',
    summary,
    description,
    requestBody: {
      description: 'What the client says.',
      required: true,
      content: { [`application/x-git-${program}-request`]: { schema: bytes } },
    },
    responses: {
      200: {
        description: 'What git says, in the words of the protocol.',
        headers,
        content: { [`application/x-git-${program}-result`]: { schema: bytes } },
      },
      ...problemTextsOf({
        ...problems,
        'malformed-request': 'Git can make nothing of the body.',
        'unsupported-media-type': 'The body is of another type, or encoded other than by gzip.',
      }),
    },
  }
}
