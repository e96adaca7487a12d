/**
 * The stores of express-rate-limit, as their authors know them.
 */

/** What a store knows of a client. */
export type ClientRateLimitInfo = {
  totalHits: number;
  resetTime: Date | undefined;
};

/** A client as `MemoryStore` knows it. */
export type Client = {
  totalHits: number;
  resetTime: Date;
};

export type IncrementResponse = ClientRateLimitInfo;

export type IncrementCallback = (
  error: Error | undefined,
  totalHits: number,
  resetTime: Date | undefined,
) => void;

/** A store that counts hits, wherever it keeps them. */
export type Store = {
  /** Told the options of its limiter, in whichever package that is. */
  // biome-ignore lint/suspicious/noExplicitAny: stores are typed by either package's options.
  init?: (options: any) => void | Promise<void>;
  get?: (key: string) => Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined;
  increment: (key: string) => Promise<IncrementResponse> | IncrementResponse;
  decrement: (key: string) => Promise<void> | void;
  resetKey: (key: string) => Promise<void> | void;
  resetAll?: () => Promise<void> | void;
  shutdown?: () => Promise<void> | void;
  /** Whether keys of one store object never touch those of another. */
  localKeys?: boolean;
  prefix?: string;
};

/** A store as they were before there were promises in them. */
export type LegacyStore = {
  incr: (key: string, callback: IncrementCallback) => void;
  decrement: (key: string) => void;
  resetKey: (key: string) => void;
  resetAll?: () => void;
};
