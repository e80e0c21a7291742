/* Types of a package without type declarations, as far as tests use it. */

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  /** What functions of the configuration get. */
  export interface OidcContext {
    readonly oidc: {
      readonly provider: {
        readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant
      }
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
