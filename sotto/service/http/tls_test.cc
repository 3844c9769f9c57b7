#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>
#include <string>

#include "sotto/service/http/http_test_client.h"
#include "sotto/service/http/http_test_server.h"

namespace sotto::http {
namespace {

// A certificate that signs itself, in files of the test's own.
class Certificate {
 public:
  Certificate() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(),
                                                           X509_free);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    X509_NAME* name = X509_get_subject_name(made.get());
    const unsigned char host[] = "localhost";
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
    X509_set_issuer_name(made.get(), name);
    X509_sign(made.get(), key.get(), EVP_sha256());
    std::FILE* file = std::fopen(certificate.c_str(), "w");
    PEM_write_X509(file, made.get());
    std::fclose(file);
    file = std::fopen(private_key.c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr,
                         nullptr);
    std::fclose(file);
  }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;
  ~Certificate() {
    std::remove(certificate.c_str());
    std::remove(private_key.c_str());
  }

  Listener listener() const {
    return {.address = {},
            .handler = nullptr,
            .certificate = certificate,
            .private_key = private_key};
  }

  const std::string base = "/tmp/sotto_tls_test_" + std::to_string(getpid());
  const std::string certificate = base + ".crt";
  const std::string private_key = base + ".key";
};

// A TLS client of at most that version.
class TlsClient {
 public:
  explicit TlsClient(const Address& address, int version = TLS1_3_VERSION)
      : raw_(address),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
        ssl_(nullptr, SSL_free) {
    SSL_CTX_set_max_proto_version(context_.get(), version);
    SSL_CTX_set_security_level(context_.get(), 0);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), raw_.descriptor());
    connected = SSL_connect(ssl_.get()) == 1;
  }

  std::string Ask(const std::string& bytes) {
    SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    std::array<char, 65536> buffer;
    const int size = SSL_read(ssl_.get(), buffer.data(), buffer.size());
    return {buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0U};
  }
  bool EndsCleanly() {
    char byte = 0;
    return SSL_read(ssl_.get(), &byte, 1) == 0 &&
           SSL_get_error(ssl_.get(), 0) == SSL_ERROR_ZERO_RETURN;
  }

  bool connected = false;

 private:
  RawClient raw_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

TEST(TlsTest, AnswersAndEndsCleanly) {
  const Certificate certificate;
  TestServer server(QuickLimits(), nullptr, "", certificate.listener());
  TlsClient client(server.address());
  ASSERT_TRUE(client.connected);
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ReadStatus(client.Ask(get + "\r\n")), 200);
  }
  EXPECT_EQ(ReadStatus(client.Ask(get + "Connection: close\r\n\r\n")), 200);
  EXPECT_TRUE(client.EndsCleanly());
}

TEST(TlsTest, RefusesOldVersionsAndPlainText) {
  const Certificate certificate;
  TestServer server(QuickLimits(), nullptr, "", certificate.listener());
  EXPECT_FALSE(TlsClient(server.address(), TLS1_1_VERSION).connected);
  EXPECT_TRUE(TlsClient(server.address(), TLS1_2_VERSION).connected);
  RawClient plain(server.address());
  plain.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(ReadStatus(plain.ReadAll(std::chrono::seconds(2))), 0);
  EXPECT_TRUE(plain.closed());
}

TEST(TlsTest, AHandshakeThatStallsIsCut) {
  const Certificate certificate;
  TestServer server(QuickLimits(), nullptr, "", certificate.listener());
  RawClient silent(server.address());
  silent.ReadAll(std::chrono::seconds(3));
  EXPECT_TRUE(silent.closed());
}

TEST(TlsTest, FilesThatCannotBeReadAreRefused) {
  const auto server =
      Server::Create({}, {{.address = *Address::Parse("127.0.0.1:0"),
                           .handler = nullptr,
                           .certificate = "/nowhere.crt",
                           .private_key = "/nowhere.key"}});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace sotto::http
