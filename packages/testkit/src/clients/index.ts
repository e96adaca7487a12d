/**
 * HTTP clients with retries, in their default configuration. They show how real clients react to a
 * refusal.
 */

import axios from "axios";
import axiosRetry from "axios-retry";
import got from "got";
import ky from "ky";
import { Agent, RetryAgent, request } from "undici";

/** A client that retries by itself. */
export interface RetryingClient {
  readonly name: string;
  /** Gets a page; resolves with the text of the final response. */
  get(url: string): Promise<string>;
}

export const RETRYING_CLIENTS: readonly RetryingClient[] = [
  { name: "got", get: (url) => got(url).text() },
  { name: "ky", get: (url) => ky(url).text() },
  { name: "axios-retry", get: getByAxios },
  { name: "undici's RetryAgent", get: getByUndici },
];

async function getByAxios(url: string): Promise<string> {
  const client = axios.create({ responseType: "text", proxy: false });
  axiosRetry(client);
  const { data } = await client.get<string>(url);
  return data;
}

async function getByUndici(url: string): Promise<string> {
  const dispatcher = new RetryAgent(new Agent());
  try {
    const { body } = await request(url, { dispatcher });
    return await body.text();
  } finally {
    await dispatcher.close();
  }
}
