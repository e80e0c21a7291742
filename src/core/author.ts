export interface Author {
  readonly name: string
  readonly email: string
}
