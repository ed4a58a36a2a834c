#include "random/key_stream.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "dpfermi/random/noise_source.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

NoiseSource reproducible(std::uint64_t seed) {
  return NoiseSource(ReproducibleSeed::from_number(seed).value());
}

std::vector<std::uint64_t> words(KeyStream stream, std::size_t count) {
  std::vector<std::uint64_t> result(count);
  for (std::uint64_t& word : result) word = stream.next();
  EXPECT_TRUE(stream.status().has_value());
  return result;
}

// NIST SP 800-38A, F.5.5 CTR-AES256.Encrypt: the key stream is plaintext XOR ciphertext.
const char* const kNistKey = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const char* const kNistPlain =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const char* const kNistCipher =
    "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6";

Bytes nist_key_stream() {
  Bytes expected = from_hex(kNistPlain);
  const Bytes cipher = from_hex(kNistCipher);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] ^= cipher[i];
  return expected;
}

KeyMaterial::Bytes nist_key() {
  KeyMaterial::Bytes key{};
  std::ranges::copy(from_hex(kNistKey), key.begin());
  return key;
}

TEST(KeyStream, AgreesWithTheNistVectors) {
  std::array<std::uint8_t, 16> counter{};
  for (std::size_t i = 0; i < 16; ++i) counter.at(i) = static_cast<std::uint8_t>(0xf0 + i);
  const KeyMaterial key(nist_key());
  KeyStream stream(key, counter);
  Bytes got(64);
  stream.fill(got);
  EXPECT_EQ(got, nist_key_stream());
  ASSERT_TRUE(stream.status().has_value());

  stream = KeyStream(key, counter);
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t word = stream.next();
    EXPECT_EQ(std::memcmp(&word, nist_key_stream().data() + 8 * i, 8), 0);
  }
}

TEST(KeyStream, TheCounterIsPurposeStepBlockPosition) {
  const KeyMaterial key(nist_key());
  std::array<std::uint8_t, 16> counter{};
  counter = {0, 4, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x12, 0x34, 0, 0, 0, 0};
  NoiseSource source{ReproducibleSeed(nist_key())};
  NoiseLane lane = source.open(Purpose::kSecretBatch).value();
  EXPECT_EQ(words(LaneForTests::stream(lane, 0x123456789abc, 0xdef01234), 5),
            words({key, counter}, 5));
}

TEST(KeyStream, FillAndNextReadTheSameWords) {
  NoiseSource source = reproducible(1);
  NoiseLane lane = source.open(Purpose::kSplit).value();
  const std::vector<std::uint64_t> expected = words(LaneForTests::stream(lane, 0, 0), 3000);
  KeyStream stream = LaneForTests::stream(lane, 0, 0);
  std::vector<std::uint64_t> got;
  for (const std::size_t count : {1U, 2U, 700U, 1U, 511U, 513U, 6U}) {
    std::vector<std::uint64_t> part(count);
    stream.fill({reinterpret_cast<std::uint8_t*>(part.data()), 8 * count});
    got.insert(got.end(), part.begin(), part.end());
    got.push_back(stream.next());
  }
  EXPECT_EQ(got, std::vector<std::uint64_t>(expected.begin(), expected.begin() + got.size()));
}

TEST(KeyStream, StreamsDoNotDependOnThreadsOrOrder) {
  NoiseSource source = reproducible(2);
  const NoiseLane lane = source.open(Purpose::kSplit).value();
  std::vector<std::vector<std::uint64_t>> one(8);
  std::vector<std::vector<std::uint64_t>> many(8);
  for (std::uint32_t block = 0; block < 8; ++block)
    one[block] = words(LaneForTests::stream(lane, 3, block), 999);
  std::vector<std::jthread> threads;
  for (std::uint32_t block = 8; block-- > 0;) {
    threads.emplace_back(
        [&, block] { many[block] = words(LaneForTests::stream(lane, 3, block), 999); });
  }
  threads.clear();
  EXPECT_EQ(one, many);
  EXPECT_NE(one[0], one[1]);
}

TEST(KeyStream, AnExhaustedStreamIsAnErrorAndStillEndsLoops) {
  std::array<std::uint8_t, 16> last_block{};
  std::fill_n(last_block.begin() + 12, 4, std::uint8_t{0xff});
  KeyStream stream(KeyMaterial(nist_key()), last_block);
  stream.next();
  stream.next();
  EXPECT_TRUE(stream.status().has_value());
  const std::uint64_t first = stream.next();
  EXPECT_NE(first, stream.next());
  ASSERT_FALSE(stream.status().has_value());
  EXPECT_THAT(stream.status().error().message, testing::HasSubstr("exhausted"));
}

TEST(NoiseLane, StepsNeverComeRound) {
  NoiseSource source = reproducible(9);
  const NoiseLane lane = source.open(Purpose::kSplit).value();
  const std::uint64_t last = NoiseLane::kMaxStep;
  EXPECT_TRUE(LaneForTests::stream(lane, last, 0).status().has_value());
  EXPECT_FALSE(LaneForTests::stream(lane, last + 1, 0).status().has_value());
  EXPECT_EQ(NoiseLane::after(5, 7), 12U);
  EXPECT_EQ(NoiseLane::after(last, 1), last + 1);
  EXPECT_EQ(NoiseLane::after(last + 1, 1), last + 1);
  EXPECT_EQ(NoiseLane::after(5, ~std::uint64_t{0}), last + 1);
}

/// Whether `use` reports success in a forked child.
template <class Use>
bool works_in_child(const Use& use) {
  const pid_t child = fork();
  if (child == 0) _exit(use() ? 1 : 0);
  int result = 1;
  waitpid(child, &result, 0);
  return result != 0;
}

TEST(KeyStream, AForkedChildCannotUseTheParentsKey) {
  NoiseSource source = reproducible(4);
  const NoiseLane lane = source.open(Purpose::kSplit).value();
  KeyStream stream = LaneForTests::stream(lane, 0, 0);
  stream.next();
  const auto go_on = [&] {
    stream.next();
    return stream.status().has_value();
  };
  const auto open_another = [&] {
    KeyStream fresh = LaneForTests::stream(lane, 1, 0);
    fresh.next();
    return fresh.status().has_value();
  };
  const auto own_key = [] {
    return LaneForTests::stream(reproducible(4).open(Purpose::kSplit).value(), 0, 0)
        .status()
        .has_value();
  };
  EXPECT_FALSE(works_in_child(go_on));
  EXPECT_FALSE(works_in_child(open_another));
  EXPECT_TRUE(works_in_child(own_key));
  EXPECT_TRUE(go_on());
  EXPECT_TRUE(open_another());
}

TEST(NoiseSource, HandsOutAPurposeOnce) {
  NoiseSource source = reproducible(5);
  EXPECT_TRUE(source.open(Purpose::kGradientNoise).has_value());
  EXPECT_TRUE(source.open(Purpose::kCountsNoise).has_value());
  const auto again = source.open(Purpose::kGradientNoise);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().kind, ErrorKind::kUsage);
}

TEST(NoiseSource, RemembersWhetherTheKeyIsSecret) {
  NoiseSource secret(SecretKey::from_os().value());
  NoiseSource other(SecretKey::from_os().value());
  const NoiseLane lane = secret.open(Purpose::kSplit).value();
  EXPECT_EQ(to_string(lane.reproducibility()), "secret");
  EXPECT_NE(words(LaneForTests::stream(lane, 0, 0), 4),
            words(LaneForTests::stream(other.open(Purpose::kSplit).value(), 0, 0), 4));
  EXPECT_EQ(to_string(reproducible(1).reproducibility()), "reproducible, not private");
}

TEST(NoiseSource, SeedsAndPurposesGiveDifferentStreams) {
  NoiseSource a = reproducible(6);
  NoiseSource b = reproducible(7);
  const auto first = words(LaneForTests::stream(a.open(Purpose::kSplit).value(), 0, 0), 4);
  EXPECT_NE(first, words(LaneForTests::stream(a.open(Purpose::kPublicBatch).value(), 0, 0), 4));
  EXPECT_NE(first, words(LaneForTests::stream(b.open(Purpose::kSplit).value(), 0, 0), 4));
}

}  // namespace
}  // namespace dpfermi
